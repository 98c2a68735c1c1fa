#!/bin/sh
'pcc' 'run' 'bert/model.onnx' '--loss=softmax_cross_entropy' '--optimizer=adamw,lr=0.001' '--precision=bf16' '--data=npy:values=bert/input0.npy,labels=bert/labels.npy' '--epochs=1' '--log-every=0' '--format=json'
